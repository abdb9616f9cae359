/* Classifying loads for sessions. */
#ifndef WEIR_STUDY_CLASSIFY_HERE_H
#define WEIR_STUDY_CLASSIFY_HERE_H

/* From now on sessions can be prepared by WEIR_PREPARE_CLASSIFY; its parameters are known. */
void weir_classify_here(void);

#endif
