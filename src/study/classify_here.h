/* Classifying loads for sessions. */
#ifndef WEIR_STUDY_CLASSIFY_HERE_H
#define WEIR_STUDY_CLASSIFY_HERE_H

/* From now on sessions can be prepared with tags; the parameters of that are known. */
void weir_classify_here(void);

#endif
