# Toolchain file for Debian's cross compilers, the tests being run by QEMU's user emulation or, if this
# machine can, without:
#   cmake -S . -B b --toolchain cmake/cross.cmake -DCROSS_TRIPLET=s390x-linux-gnu   (big-endian)
#   cmake -S . -B b --toolchain cmake/cross.cmake -DCROSS_TRIPLET=arm-linux-gnueabihf   (32 bits)
#   cmake -S . -B b --toolchain cmake/cross.cmake -DCROSS_TRIPLET=i686-linux-gnu   (32 bits, on x86-64)
# .ci/cross installs what it needs.
set(CROSS_TRIPLET s390x-linux-gnu CACHE STRING "Debian's name of the machine to build for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CROSS_TRIPLET)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${CROSS_TRIPLET})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${CROSS_TRIPLET}-gcc)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
string(REGEX REPLACE "^i686" i386 CMAKE_LIBRARY_ARCHITECTURE ${CROSS_TRIPLET}) # of Debian's paths
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig:/usr/share/pkgconfig)
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL i686)
    set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR}-static)
endif()
