import type { Socket } from "node:net";

/** How much is still taken from a peer that was answered before its end, and for how long. */
const MOST_BYTES = 512 * 1024;
const MOST_MS = 2_000;

/**
 * Closes a connection whose peer may still be sending: says that nothing more will come, takes for a while
 * what arrives without looking at it, then hangs up. If it were closed at once, the kernel would answer the
 * rest with a reset, which makes many peers drop the answer before they have read it.
 */
export function linger(socket: Socket): void {
  if (socket.destroyed) return;
  for (const event of ["data", "readable", "end"]) socket.removeAllListeners(event);
  let left = MOST_BYTES;
  // A peer that sends more waits until we hang up, and has time to read meanwhile.
  socket.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left <= 0) socket.pause();
  });
  const hangUp = () => socket.destroy();
  socket.once("end", () => (socket.writableFinished ? hangUp() : socket.once("finish", hangUp)));
  const timer = setTimeout(hangUp, MOST_MS).unref();
  socket.once("close", () => clearTimeout(timer));
  socket.end();
}
