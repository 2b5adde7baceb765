# ctest reads this before it starts the tests.
if(NOT DEFINED ENV{PERFDATA_CORPUS})
    cmake_path(SET corpus NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../shared/corpus)
    if(IS_DIRECTORY ${corpus})
        set(ENV{PERFDATA_CORPUS} ${corpus})
    endif()
endif()
