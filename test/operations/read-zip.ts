import { crc32, inflateRawSync } from "node:zlib";

/** The files of a ZIP by their paths, read from its central directory; fails where a checksum is wrong. */
export function readZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from("504b0506", "hex"));
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) =>
      zip.readUInt16LE(at + field),
    );
    const path = zip.toString("utf8", at + 46, at + 46 + (nameLength ?? 0));
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(begin, begin + zip.readUInt32LE(at + 20));
    const content = zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(bytes) : bytes;
    if (crc32(content) !== zip.readUInt32LE(at + 16)) throw new Error(`the checksum of ${path} is wrong`);
    if (!path.endsWith("/")) files.set(path, content);
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return files;
}
