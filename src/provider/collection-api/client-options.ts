import { RelayError } from "../../platform/errors/index.ts";
import { Secret } from "../../platform/values/index.ts";
import { DEFAULT_BANKS_PATH } from "./contract/operations.ts";

export interface CollectionClientOptions {
  /** The interface's `{base_url}`, such as `https://api.example.com`; `/api/v1` at its end is left out. */
  baseUrl: string;
  /** Sent as `x-api-key`; never part of an error. */
  apiKey: string | Secret;
  /** How long one call may take, in ms, from waiting for a connection to the last byte; 10,000 when left out. */
  timeoutMs?: number | undefined;
  /** How many connections are open, and so how many requests under way, at most; 64 when left out. */
  connections?: number | undefined;
  /** The path of Get Banks, which the interface leaves open; `/api/v1/banks` when left out. */
  banksPath?: string | undefined;
}

export interface CallOptions {
  /** Instead of the client's `timeoutMs`. */
  timeoutMs?: number | undefined;
  /** Stops the call at any stage. */
  signal?: AbortSignal | undefined;
  /**
   * Called at the end of the request, before its answer is read, with the HTTP status; null without an answer.
   * The next request may go out from then on.
   */
  onResponse?: ((status: number | null) => void) | undefined;
}

/** The options with the defaults. @throws RelayError that names the one which cannot be used, without its value. */
export function checkOptions(options: CollectionClientOptions) {
  const url = URL.parse(options.baseUrl);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw wrong("baseUrl should be a web address such as https://api.example.com");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw wrong("baseUrl should hold no user name, password, query or fragment");

  const key = typeof options.apiKey === "string" ? new Secret(options.apiKey) : options.apiKey;
  if (!/^[\x21-\x7E]+$/.test(key.reveal()))
    throw wrong("apiKey should be one or more visible characters without spaces");

  const banksPath = options.banksPath ?? DEFAULT_BANKS_PATH;
  if (!/^\/[^\s?#]*$/.test(banksPath)) throw wrong("banksPath should be a path such as /api/v1/banks");

  return {
    origin: url.origin,
    // The prefix of every path. Many paste the address with `/api/v1`, which every path has already.
    prefix: url.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/i, ""),
    key,
    timeoutMs: whole("timeoutMs", options.timeoutMs ?? 10_000, 1, 600_000),
    connections: whole("connections", options.connections ?? 64, 1, 10_000),
    banksPath,
  };
}

function whole(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw wrong(`${name} should be a whole number from ${least} to ${most}`);
}

const wrong = (problem: string) => new RelayError(`CollectionClient: ${problem}.`);
