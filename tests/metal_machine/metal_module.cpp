// See metal_module.h.
#include "metal_module.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

extern char** environ;

namespace tilewright::metal_shim {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> command(const fs::path& from, const fs::path& to) {
  std::vector<std::string> words{TILEWRIGHT_METAL_COMPILER,
                                 "-std=c++17",
                                 "-O0",
                                 "-ffp-contract=off",
                                 "-fPIC",
                                 "-shared",
                                 "-fno-exceptions",
                                 "-fno-rtti",
                                 "-fno-builtin",
                                 "-fvisibility=hidden",
                                 "-Wno-division-by-zero"};
  // What the source may not do, a compiler can say of it.
  for (const char* flag :
       {"-Wuninitialized", "-Wparentheses", "-Wreturn-type", "-Werror",
        "-fsanitize-coverage=func,trace-loads,trace-stores",
        "-fsanitize=alignment,signed-integer-overflow,integer-divide-by-zero,shift,float-cast-overflow",
        "-fsanitize-minimal-runtime"})
    words.emplace_back(flag);
#if defined(__x86_64__)
  words.insert(words.end(), {"-mfma", "-mf16c"});
#endif
  for (const std::string& word :
       {std::string("-I") + TILEWRIGHT_METAL_SHIM, std::string("-o"), to.string(), from.string()})
    words.push_back(word);
  return words;
}

/// What the compiler said; empty where it was content.
std::string run(const std::vector<std::string>& words, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return fmt::format("{} does not start", words[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status == 0) return {};
  std::ifstream file(log);
  return fmt::format("{}\n{}", fmt::join(words, " "), std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace

std::expected<std::unique_ptr<Module>, std::string> Module::compile(const std::vector<std::string>& sources) {
  std::unique_ptr<Module> module(new Module);
  for (const std::string& source : sources) {
    auto host = to_host(source);
    if (!host) return std::unexpected(host.error() + "\n" + source);
    module->sources_.push_back(std::move(*host));
  }
  const std::size_t parts =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, std::max<std::size_t>(sources.size(), 1));
  std::string pattern = (fs::temp_directory_path() / "tilewright_metal_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return std::unexpected("no folder for compiled sources");
  const fs::path folder = pattern;
  std::vector<std::string> errors(parts);
  std::vector<std::thread> threads;
  for (std::size_t part = 0; part < parts; ++part) {
    std::string text = "#include \"instrumentation.h\"\n#include <metal_stdlib>\n";
    for (std::size_t s = part; s < sources.size(); s += parts) {
      text += fmt::format("namespace s{} {{\n{}\n", s, module->sources_[s].text);
      for (const Function& function : module->sources_[s].functions)
        text += fmt::format(
            "TW_PLAIN __attribute__((visibility(\"default\"))) void tw_{}_{}(const tw_thread* t) {{ {}; }}\n", s,
            function.name, function.call);
      text += "}\n";
    }
    std::ofstream(folder / fmt::format("{}.cpp", part)) << text;
    threads.emplace_back([&, part] {
      errors[part] = run(command(folder / fmt::format("{}.cpp", part), folder / fmt::format("{}.so", part)),
                         folder / fmt::format("{}.log", part));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto failed = std::ranges::find_if(errors, [](const std::string& error) { return !error.empty(); });
  if (failed != errors.end()) {
    fs::remove_all(folder);
    return std::unexpected(*failed);
  }
  for (std::size_t part = 0; part < parts; ++part) {
    void* library = dlopen((folder / fmt::format("{}.so", part)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::unexpected(std::string("not loaded: ") + dlerror());
    module->libraries_.push_back(library);
    auto** host = static_cast<const tw_machine**>(dlsym(library, "tw_host"));
    if (host == nullptr) return std::unexpected("the library lacks its host");
    *host = Machine::interface();
  }
  for (std::size_t s = 0; s < sources.size(); ++s) module->library_of_.push_back(s % parts);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return module;
}

Module::~Module() {
  for (void* library : libraries_) dlclose(library);
}

Module::Entry Module::find(std::size_t source, const std::string& name) const {
  for (const Function& function : sources_.at(source).functions)
    if (function.name == name) {
      void* symbol = dlsym(libraries_[library_of_[source]], fmt::format("tw_{}_{}", source, name).c_str());
      return {&function, reinterpret_cast<Launch::Entry>(symbol)};
    }
  return {};
}

}  // namespace tilewright::metal_shim
