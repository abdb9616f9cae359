// Exact matches of many short reads in a reference string, by a suffix tree, as MUMmerGPU finds them
// (the version in Rodinia): a thread walks down the tree with a read, and when it is stuck follows
// a suffix link to go on with the read less its first letter. A second kernel climbs from where each
// match ended to the highest node that is deep enough, and lists the leaves below it that are no
// continuation of a longer match to the left.
//
// A node has two records of 16 bytes in arrays of their own, one with its place in the tree and in
// the reference, one with its five children, numbered in the order of breadth; addresses have three
// bytes. The lanes of a warp are anywhere in the tree and read 16 bytes of a line, and single bytes
// of reads that are 27 bytes apart and of the reference: lines come back, but only a part of each.
#include "../suite.h"

#define ROOT 1u

// Of the record of a node: parent, suffix link, first and last letter of the edge above it in the
// reference, and letters down to its end (the root has one).
static __device__ unsigned parent_of(uint4 n) {
  return n.x & 0xffffff;
}
static __device__ unsigned link_of(uint4 n) {
  return n.x >> 24 | (n.y & 0xffff) << 8;
}
static __device__ unsigned from_of(uint4 n) {
  return n.y >> 16 | (n.z & 0xff) << 16;
}
static __device__ unsigned to_of(uint4 n) {
  return n.z >> 8;
}
static __device__ int depth_of(uint4 n) {
  return n.w & 0xffffff;
}

// Children by A, C, G, T and the end. A leaf has its place in the reference for the first of them,
// and the letter before that place in the last byte.
static __device__ unsigned child_a(uint4 c) {
  return c.x & 0xffffff;
}
static __device__ unsigned child_c(uint4 c) {
  return c.x >> 24 | (c.y & 0xffff) << 8;
}
static __device__ unsigned child_g(uint4 c) {
  return c.y >> 16 | (c.z & 0xff) << 16;
}
static __device__ unsigned child_t(uint4 c) {
  return c.z >> 8;
}
static __device__ unsigned child_end(uint4 c) {
  return c.w & 0xffffff;
}

extern "C" __global__ void mummer_match(int2 *found, char *read, uint4 *node, uint4 *children,
                                        char *reference, const int *read_at, const int *read_length,
                                        int reads, int least) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= reads) return;
  int letters = read_length[r], first = read_at[r];
  int2 *result = found + (first - r * (least + 1));
  read += first;
  unsigned now = 0, before = ROOT;
  int given = 0, matched = 0; // letters that must match after a link; letters so far, and one
  LOOP for (int start = 0; start <= letters - least; start++) {
    if (now == 0 || matched < 1) {
      now = ROOT;
      matched = 1;
      given = 0;
    }
    char c = read[start + matched];
    unsigned from = 0, place = 0;
    bool differs = false;
    LOOP while (c != '\0') {
      uint4 kids = children[now];
      before = now;
      switch (c) {
      case 'A': now = child_a(kids); break;
      case 'C': now = child_c(kids); break;
      case 'G': now = child_g(kids); break;
      case 'T': now = child_t(kids); break;
      default: now = 0; break;
      }
      if (now == 0) break;
      uint4 n = node[now];
      from = from_of(n);
      unsigned to = to_of(n);
      int edge = to - from + 1;
      if (given) {
        place = from + min(given, edge);
        matched += min(given, edge);
        given = max(given - edge, 0);
      } else { // the first letter chose the edge
        place = from + 1;
        matched++;
      }
      c = read[start + matched];
      LOOP while (place <= to && c != '\0') {
        if (reference[place] != c) {
          differs = true;
          break;
        }
        matched++;
        place++;
        c = read[start + matched];
      }
      if (differs) break;
    }
    if (now == 0) { // no edge for the letter
      if (matched > least) *result = make_int2(before, 0);
      matched -= 1;
      given = 0;
    } else { // on an edge, or at the end of the read
      if (matched > least) *result = make_int2(now, place - from);
      given = place - from;
      matched -= given + 1;
    }
    now = link_of(node[before]);
    result++;
  }
}

struct match {
  unsigned room; // where its alignments go
  unsigned read;
  unsigned node, leaves; // of the original's host; here the first kernel's result is read
  unsigned short edge;
  unsigned short start;
};
struct alignment {
  int place;
  unsigned short length;
};

extern "C" __global__ void mummer_print(match *matches, int2 *found, int slots,
                                        alignment *alignments, char *read, uint4 *node,
                                        uint4 *children, const int *read_at, int page_begin,
                                        int page_end, int shadow_left, int shadow_right,
                                        int least) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= slots) return;
  int2 hit = found[m]; // a node and the letters matched on the edge above it
  unsigned target = hit.x;
  if (target == 0) return;
  read += read_at[matches[m].read];
  char flank = read[matches[m].start];

  // up to the highest node that is deep enough
  unsigned now = target, top = now;
  uint4 n = node[now];
  LOOP while (depth_of(n) > least) {
    top = now;
    now = parent_of(n);
    n = node[now];
  }
  unsigned stop = now;
  now = top;
  n = node[top];
  int length = depth_of(n) - 1; // letters of the read that lead here
  int aside = 0;                // levels below the last node that the read leads to
  unsigned room = matches[m].room;
  if (top == target) {
    if (hit.y > 0) {
      n = node[stop];
      length = depth_of(n) - 1 + hit.y;
    }
    aside = 1;
  }

  // all leaves below it
  char letter = 'A';
  bool up = false;
  LOOP while (now != stop) {
    uint4 kids = children[now];
    char leaf = kids.w >> 24;
    if (leaf || up) {
      if (leaf && leaf != flank) {
        int left = (int)child_a(kids) - 1 + page_begin, right = left + length;
        if ((left != page_begin || shadow_left == -1) && (right != page_end || shadow_right == -1) &&
            !(left > page_begin && right < shadow_left)) {
          alignments[room].place = left;
          alignments[room].length = length;
          room++;
        }
      }
      up = false;
      n = node[now];
      unsigned parent = parent_of(n);
      uint4 sisters = children[parent];
      if (child_a(sisters) == now)
        letter = 'C';
      else if (child_c(sisters) == now)
        letter = 'G';
      else if (child_g(sisters) == now)
        letter = 'T';
      else if (child_t(sisters) == now)
        letter = '$';
      else
        up = true;
      now = parent;
      if (aside) aside--;
      if (aside == 0) {
        n = node[now];
        length = depth_of(n) - 1;
      }
    } else {
      char next = '\0';
      if (aside == 0) next = read[matches[m].start + length + 1];
      unsigned down = 0;
      if (letter == 'A') {
        down = child_a(kids);
        if (!down) letter = 'C';
      }
      if (letter == 'C') {
        down = child_c(kids);
        if (!down) letter = 'G';
      }
      if (letter == 'G') {
        down = child_g(kids);
        if (!down) letter = 'T';
      }
      if (letter == 'T') {
        down = child_t(kids);
        if (!down) letter = '$';
      }
      if (letter == '$') down = child_end(kids);
      if (!down) {
        up = true;
        continue;
      }
      now = down;
      if (aside) {
        aside++;
      } else if (letter != next) {
        aside = 1;
      } else {
        n = node[now];
        length = depth_of(n) - 1;
        if (now == target) {
          aside = 1;
          if (hit.y > 0) {
            n = node[parent_of(n)];
            length = depth_of(n) - 1 + hit.y;
          }
        }
      }
      letter = 'A';
    }
  }
}
