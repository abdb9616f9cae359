#ifndef WEIR_CLI_VERSION_H
#define WEIR_CLI_VERSION_H

/* "0.2.0" */
const char *weir_cli_version(void);
/* 40 digits, with "-dirty" if the sources were not those of the commit; "unknown" without git. */
const char *weir_cli_commit_id(void);

#endif
