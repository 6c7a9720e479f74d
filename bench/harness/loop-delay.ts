import { monitorEventLoopDelay } from "node:perf_hooks";

/** How long nothing else could run in this process; sampled each millisecond. */
const delays = monitorEventLoopDelay({ resolution: 1 });

const NS_IN_MS = 1e6;

/** What a child of the bench can be asked about its event loop. */
export const loopDelay = {
  startLoopDelay: () => {
    delays.enable();
    delays.reset();
  },
  /** The longest since it was last asked, in ms. */
  longestLoopDelay: () => {
    const longest = delays.max / NS_IN_MS;
    delays.reset();
    return longest;
  },
};
