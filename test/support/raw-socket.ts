import { connect, type Socket } from "node:net";
import { onTestFinished } from "./own-test.ts";

/**
 * A connection of its own that has sent `text`; `ended` gives all that was answered once the other side
 * closes.
 */
export function rawSocket(
  url: string,
  text: string | Buffer = "",
): { socket: Socket; ended: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  const ended = new Promise<string>((resolve) => {
    socket.on("data", (chunk) => void chunks.push(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
  if (text.length > 0) socket.write(text);
  return { socket, ended };
}
