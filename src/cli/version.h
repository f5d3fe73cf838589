/* The version: what --version prints and `make dist` puts into the archive's name. */
#ifndef SELFATTN_CLI_VERSION_H
#define SELFATTN_CLI_VERSION_H

#define SELFATTN_VERSION "1.0.1"

#endif
