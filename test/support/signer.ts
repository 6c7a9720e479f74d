import { createSigner, type Signer } from "../../src/sandbox/sns/delivery.ts";

let made: Promise<Signer> | undefined;

/** A real key, made once for every test of a worker: making one takes longer than most tests do. */
export function testSigner(): Promise<Signer> {
  made ??= createSigner("us-east-1");
  return made;
}
