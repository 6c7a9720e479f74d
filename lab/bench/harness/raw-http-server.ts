import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";

/** Takes the request line with headers, and the body; calls `answer` with the whole response. */
type RawHandler = (head: string, body: string, answer: (response: string) => void) => void;

/** A whole HTTP response with a body. */
export const rawResponse = (type: string, body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/**
 * HTTP/1.1 as bare as can be, so that a stub is never what limits a bench: kept connections, bodies with a
 * Content-Length, one request at a time on each connection.
 */
export function startRawServer(handler: RawHandler): Promise<{ url: string; port: number }> {
  const server = createServer({ noDelay: true }, (socket) => readRequests(socket, handler));
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      resolve({ port, url: `http://127.0.0.1:${port}` });
    });
  });
}

function readRequests(socket: Socket, handler: RawHandler): void {
  let pending = "";
  const answer = (response: string) => void (socket.writable && socket.write(response));
  socket.setEncoding("latin1");
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: string) => {
    pending += chunk;
    const headEnd = pending.indexOf("\r\n\r\n");
    if (headEnd === -1) return;
    const head = pending.slice(0, headEnd);
    const [, length = "0"] = /content-length: *(\d+)/i.exec(head) ?? [];
    const end = headEnd + 4 + Number(length);
    if (pending.length < end) return;
    const body = pending.slice(headEnd + 4, end);
    pending = pending.slice(end);
    handler(head, body, answer);
  });
}
