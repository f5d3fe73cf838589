/* selfattn: attention over matrix files, with every step to be seen. All of it is in src; src/cli
 * is where it begins. */
#include "cli/command.h"

int main(int argc, char **argv)
{
    env world;
    env_open(&world);
    return cli_main(argc, argv, &world);
}
