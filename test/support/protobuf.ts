/** One field of a protobuf message as it stands on the wire: what it means, only a schema tells. */
interface WireField {
  number: number;
  /** A varint or a fixed one as bigint, anything with a length as bytes. */
  value: bigint | Buffer;
}

/** The fields of a message, in order (Protocol Buffers, "Encoding"). */
function readFields(message: Buffer): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(message.readUInt8(at));
      at += 1;
      value |= (byte & 0x7fn) << shift;
      if (byte < 0x80n) return value;
    }
  };
  const bytes = (length: number): Buffer => {
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = varint();
    const number = Number(key >> 3n);
    switch (key & 7n) {
      case 0n:
        fields.push({ number, value: varint() });
        break;
      case 1n:
        fields.push({ number, value: bytes(8).readBigUInt64LE() });
        break;
      case 2n:
        fields.push({ number, value: bytes(Number(varint())) });
        break;
      case 5n:
        fields.push({ number, value: BigInt(bytes(4).readUInt32LE()) });
        break;
      default:
        throw new Error(`no wire type ${key & 7n}`);
    }
  }
  return fields;
}

/** All values of a field that have a length. */
export const parts = (message: Buffer, number: number): Buffer[] =>
  readFields(message).flatMap((field) =>
    field.number === number && Buffer.isBuffer(field.value) ? [field.value] : [],
  );

export const part = (message: Buffer, number: number): Buffer => parts(message, number)[0] ?? Buffer.alloc(0);

export const number = (message: Buffer, field: number): bigint => {
  const found = readFields(message).find((one) => one.number === field)?.value;
  return typeof found === "bigint" ? found : 0n;
};
