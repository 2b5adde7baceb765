# Toolchain file for Debian's cross compilers, the tests being run by QEMU's user emulation:
#   cmake -S . -B b --toolchain cmake/cross.cmake -DCROSS_TRIPLET=s390x-linux-gnu   (big-endian)
#   cmake -S . -B b --toolchain cmake/cross.cmake -DCROSS_TRIPLET=arm-linux-gnueabihf   (32 bits)
# .ci/cross installs what it needs.
set(CROSS_TRIPLET s390x-linux-gnu CACHE STRING "Debian's name of the machine to build for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CROSS_TRIPLET)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${CROSS_TRIPLET})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${CROSS_TRIPLET}-gcc)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${CROSS_TRIPLET}/pkgconfig:/usr/share/pkgconfig)
set(CMAKE_LIBRARY_ARCHITECTURE ${CROSS_TRIPLET})
set(emulator ${CMAKE_SYSTEM_PROCESSOR})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${emulator}-static)
