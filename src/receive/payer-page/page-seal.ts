import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Secret } from "../../kit/secret.ts";

/** A callback's id, a UUIDv7, and its seal. */
const SEALED = /^([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.([\w-]{22})$/;

/** Enough that nobody guesses one. */
const SEAL_BYTES = 16;

/**
 * The end of a page's address: the id of the callback that the page answers, sealed with a key derived from
 * the token that the callback came with. So every process that takes that token opens the page, and what
 * nobody gave out is told from it without asking Postgres.
 */
export const sealedId = (id: string, token: Secret): string => `${id}.${sealOf(id, keyOf(token))}`;

/** @returns reads the id in what one of `tokens` sealed; null for anything else. */
export function unsealer(tokens: readonly Secret[]): (sealed: string) => string | null {
  const keys = tokens.map(keyOf);
  return (sealed) => {
    const [, id = "", seal = ""] = SEALED.exec(sealed) ?? [];
    if (id === "") return null;
    const given = Buffer.from(seal);
    return keys.some((key) => timingSafeEqual(Buffer.from(sealOf(id, key)), given)) ? id : null;
  };
}

const keyOf = (token: Secret): Buffer =>
  Buffer.from(hkdfSync("sha256", token.reveal(), "", "invoice-relay payer page v1", 32));

const sealOf = (id: string, key: Buffer): string =>
  createHmac("sha256", key).update(id).digest().subarray(0, SEAL_BYTES).toString("base64url");
