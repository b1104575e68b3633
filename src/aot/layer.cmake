# Launch descriptions are JSON.
find_package(nlohmann_json REQUIRED)
target_link_libraries(tw_aot PRIVATE nlohmann_json::nlohmann_json)
