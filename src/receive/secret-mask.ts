import { withoutCallbackTokens } from "../kit/quiet-text.ts";
import type { Source } from "../kit/source.ts";

/** Headers that carry a secret by their nature: recorded as present, never with their value. */
const SECRET_HEADERS = [
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "x-auth-token",
];

/** What is recorded of a request beside its body; the token in `path` is masked already. */
export interface RequestTexts {
  path: string;
  query: string;
  reference: string | null;
  /** As Node lists them: names and values in turn. */
  rawHeaders: readonly string[];
}

export type MaskedTexts = Omit<RequestTexts, "rawHeaders"> & {
  /** As pairs, in order and with repetitions. */
  headers: [name: string, value: string][];
};

/** Takes the secrets out of what is recorded of a request beside its body. */
export class SecretMask {
  readonly #headers: ReadonlySet<string>;
  readonly #tokens: RegExp;

  constructor(sources: readonly Source[]) {
    const configured = sources.flatMap(({ callbackChecks: { hmac, headerToken, standardWebhooks } }) => [
      ...(hmac === null ? [] : [hmac.header]),
      ...(headerToken === null ? [] : [headerToken.header]),
      ...(standardWebhooks === null ? [] : ["webhook-signature"]),
    ]);
    this.#headers = new Set([...SECRET_HEADERS, ...configured]);
    // Tokens are letters, digits, - and _: nothing in them to escape. An empty alternative would match everywhere.
    const tokens = sources.flatMap((source) => source.callbackTokens.map((token) => token.reveal()));
    this.#tokens = new RegExp(tokens.length > 0 ? tokens.join("|") : "(?!)", "g");
  }

  mask({ path, query, reference, rawHeaders }: RequestTexts): MaskedTexts {
    // Nearly no request holds a token outside its path: one look at all of it, instead of one at each text. No
    // token holds a line break, so none is found across two texts.
    const joined = `${path}\n${query}\n${reference ?? ""}\n${rawHeaders.join("\n")}`;
    const clean = this.#masked(joined) === joined;
    const masked = (text: string) => (clean ? text : this.#masked(text));
    const headers: [name: string, value: string][] = [];
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? "";
      const value = rawHeaders[index + 1] ?? "";
      headers.push([masked(name), this.#headers.has(name.toLowerCase()) ? "***" : masked(value)]);
    }
    return {
      path: masked(path),
      query: masked(query),
      reference: reference === null ? null : masked(reference),
      headers,
    };
  }

  #masked(text: string): string {
    // Tokens that are ours no longer stand in callback URLs: a Referer, a proxy's X-Original-URL.
    return withoutCallbackTokens(text.replace(this.#tokens, "***"));
  }
}
