// Arguments → Options → subcommand → exit code. The only file that knows CLI11. See command_line.h.
#include "cli/command_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <optional>
#include <system_error>

#include "cli/print_message.h"
#include "cli/subcommands.h"

namespace tilewright::cli {
namespace {

constexpr std::string_view description =
    "Tilewright compiles loop-free tensor statements to fast kernels, and runs them.";
constexpr std::string_view footer =
    "Exit codes: 0 right, 1 wrong result or failed check, 2 usage or input error, 3 the device or target is not "
    "there.\n"
    "docs/cli.md is the reference, docs/errors.md explains the error codes.";

/// Errors of these codes mean that a device or target is not there.
constexpr std::array<std::string_view, 3> absence_codes = {"R072", "C016", "C017"};

/// One value each time it is given, so that what follows is not taken for another.
void add_repeatable(CLI::App& app, const std::string& flags, std::vector<std::string>& values, const std::string& help,
                    const std::string& type) {
  app.add_option(flags, values, help)
      ->type_name(type)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_once(CLI::App& app, const std::string& flags, std::string& value, const std::string& help,
              const std::string& type) {
  app.add_option(flags, value, help)->type_name(type)->expected(1);
}

void add_precision(CLI::App& app, Options& options) {
  const auto parse = [&options](const std::string& text) {
    options.precision = precision_from_name(text);
    if (!options.precision) throw CLI::ValidationError("--precision", "'" + text + "' is not exact, tf32 or tf32x3");
  };
  app.add_option_function<std::string>("--precision", parse, "exact, tf32 or tf32x3, for every kernel")
      ->type_name("TIER");
}

void add_flag(CLI::App& app, Options& options, Flag flag) {
  switch (flag) {
    case Flag::files:
      app.add_option("FILE", options.files, "files of kernels; - is standard input")->required()->type_name("");
      return;
    case Flag::file:
      app.add_option("FILE", options.files, "a file of kernels; - is standard input")
          ->required()
          ->expected(1)
          ->type_name("");
      return;
    case Flag::kernels:
      return add_repeatable(app, "-k,--kernel", options.kernels, "a kernel of the file (repeat); all where absent",
                            "NAME");
    case Flag::inputs:
      return add_repeatable(
          app, "-i,--input", options.inputs,
          "an operand (repeat): a=a.npy, a=- (standard input), a=rand:f32:64x64[:seed], or, where only "
          "types matter, a=f32:64x64; where absent, the kernel's example lines with random data",
          "NAME=WHAT");
    case Flag::outputs:
      return add_repeatable(app, "-o,--output", options.outputs,
                            "where the result goes: FILE where there is one, else NAME=FILE (repeat); - is standard "
                            "output",
                            "[NAME=]FILE");
    case Flag::folder:
      add_repeatable(app, "-o,--output", options.outputs, "the folder for the files, made if it is not there", "DIR");
      app.get_option("--output")->required();
      return;
    case Flag::device:
      return add_once(app, "--device", options.device, "cpu, cuda, cuda:N or sim (default: cpu)", "DEVICE");
    case Flag::precision:
      return add_precision(app, options);
    case Flag::verify:
      app.add_flag("--verify", options.verify, "compare with the f64 reference instead of printing results");
      return;
    case Flag::threads:
      app.add_option("--threads", options.threads, "threads to use (default: all)")
          ->type_name("N")
          ->check(CLI::Range(1, 1024));
      return;
    case Flag::list:
      app.add_flag("--list", options.list, "print the kernels' names, one a line");
      return;
    case Flag::target:
      return add_once(app, "--target", options.target, "host, nvptx:ARCH or metal (default: host)", "TARGET");
    case Flag::stage:
      add_once(app, "--stage", options.stage, "nest, tile, kernel, llvm, asm, obj, ptx or msl", "STAGE");
      app.get_option("--stage")->required();
      return;
    case Flag::html:
      return add_once(app, "--html", options.html, "write one self-contained page instead of text", "FILE");
    case Flag::json:
      app.add_flag("--json", options.json, "print JSON instead of a table");
      return;
    case Flag::seconds:
      app.add_option("--seconds", options.seconds, "time to search for, for each statement (default: 20)")
          ->type_name("S")
          ->check(CLI::Range(0.1, 86400.0))
          ->check([](const std::string& text) {  // which no range excludes
            return std::isnan(std::strtod(text.c_str(), nullptr)) ? "a number of seconds is needed" : "";
          });
      return;
    case Flag::verbose:
      app.add_flag("--verbose", options.verbose, "print a line for each schedule that is tried");
      return;
    case Flag::check:
      app.add_flag("--check", options.check, "name the files that would change, and end with 1 if there are any");
      return;
    case Flag::write:
      app.add_flag("--write", options.write, "rewrite the files in place");
      return;
  }
}

/// Exit code of a command that failed, after printing why.
int report(const Diagnostics& diagnostics) {
  std::fflush(stdout);
  print_message(render(diagnostics));
  const bool absent = std::ranges::any_of(diagnostics, [](const Diagnostic& diagnostic) {
    return std::ranges::find(absence_codes, diagnostic.code) != absence_codes.end();
  });
  return static_cast<int>(absent ? ExitCode::absent : ExitCode::bad_input);
}

int run_subcommand(const Subcommand& subcommand, const Options& options) {
  const Outcome outcome = subcommand.run(options);
  if (!outcome) return report(outcome.error());
  if (std::fflush(stdout) != 0) return report(fail("C018", "cannot write to standard output").error());
  return static_cast<int>(*outcome);
}

/// Of the arguments, the one that must name a subcommand.
Result<void> check_subcommand(int argc, char** argv) {
  std::vector<std::string_view> names;
  for (const Subcommand& subcommand : subcommands()) names.push_back(subcommand.name);
  const std::string remedy = fmt::format("they are {}; tilewright --help says more", fmt::join(names, ", "));
  if (argc < 2) return fail("C001", "a subcommand is required", remedy);
  const std::string_view first = argv[1];
  if ((first.size() > 1 && first.starts_with('-')) || std::ranges::find(names, first) != names.end()) return {};
  return fail("C001", fmt::format("'{}' is no subcommand", first), remedy);
}

/// The first argument that looks like an option and is none of the subcommand's.
std::optional<std::string> unknown_option(const CLI::App& subcommand, int argc, char** argv) {
  for (int n = 2; n < argc; ++n) {
    const std::string_view argument = argv[n];
    if (argument == "--") break;
    if (argument.size() < 2 || argument[0] != '-' || std::string_view("0123456789.").contains(argument[1])) continue;
    const std::string option(argument.starts_with("--") ? argument.substr(0, argument.find('='))
                                                        : argument.substr(0, 2));
    if (subcommand.get_option_no_throw(option) == nullptr) return option;
  }
  return std::nullopt;
}

/// Gives closed standard streams a descriptor that fails as theirs would, so that no file that is opened later takes
/// their place.
void reserve_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int parse_and_run(int argc, char** argv) {
  if (const Result<void> known = check_subcommand(argc, argv); !known) return report(known.error());
  Options options;
  const Subcommand* chosen = nullptr;
  CLI::App app{std::string(description), "tilewright"};
  app.footer(std::string(footer));
  app.set_version_flag("--version", "tilewright " TILEWRIGHT_VERSION);
  app.require_subcommand(1);
  for (const Subcommand& subcommand : subcommands()) {
    CLI::App* sub = app.add_subcommand(std::string(subcommand.name), std::string(subcommand.summary));
    sub->footer(std::string(footer));
    for (Flag flag : subcommand.flags) add_flag(*sub, options, flag);
    sub->callback([&chosen, &subcommand] { chosen = &subcommand; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    const int code = app.exit(success);
    if (!std::cout.flush()) return report(fail("C018", "cannot write to standard output").error());
    return code;
  } catch (const CLI::ParseError& error) {
    // CLI11 may take what follows such an option for a file too many, and say only that.
    for (const CLI::App* sub : app.get_subcommands([&](const CLI::App* each) { return each->get_name() == argv[1]; }))
      if (const auto option = unknown_option(*sub, argc, argv))
        return report(fail("C001", fmt::format("'{}' is no option of {}", *option, argv[1]),
                           fmt::format("tilewright {} --help", argv[1]))
                          .error());
    std::string message = error.what();
    if (message.starts_with("FILE: At Most 1"))
      message = fmt::format("{} reads one file of kernels, and more are given", argv[1]);
    std::ranges::replace(message, '\n', ' ');
    return report(fail("C001", message, "tilewright --help, or tilewright SUBCOMMAND --help").error());
  }
  return run_subcommand(*chosen, options);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  reserve_standard_streams();
  try {
    return parse_and_run(argc, argv);
  } catch (const InternalError& error) {
    print_message(fmt::format(
        "{}\nThis is a defect of tilewright, not of your input: please report it with the command and its files.\n",
        error.what()));
  } catch (const std::system_error&) {  // of printing: nothing else lets one out
    print_message(render(fail("C018", "cannot write to standard output").error()));
  } catch (const std::bad_alloc&) {
    print_message(render(fail("C019", "not enough memory", "use smaller operands").error()));
  }
  return static_cast<int>(ExitCode::bad_input);
}

}  // namespace tilewright::cli
