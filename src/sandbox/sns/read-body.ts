import type { IncomingMessage } from "node:http";

/** The largest batch that SNS takes, with every byte escaped in the form, stays far below. */
const MOST_BYTES = 4 * 1_048_576;

/** The body of a request as text; undefined when it is larger than any request to SNS may be. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MOST_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size > MOST_BYTES ? undefined : Buffer.concat(chunks).toString();
}
