import fc from "fast-check";
import { describe, it } from "vitest";
import { CallbackTokens } from "../../../src/pipeline/receive/caller/verifiers.ts";
import { callbackAddress, referenceOf, requestMask } from "../../../src/pipeline/receive/read-request.ts";
import { BODY_LIMIT } from "../../../src/pipeline/receive/reading/decode-body.ts";
import { readCallback } from "../../../src/pipeline/receive/reading/read-callback.ts";
import { messageOf } from "../../../src/platform/errors/errors.ts";
import { createLogger } from "../../../src/platform/log/log.ts";
import { Secret, storableText } from "../../../src/platform/values/index.ts";
import {
  maskedEvidence,
  maskOf,
  quietText,
  withoutCallbackTokens,
} from "../../../src/platform/values/mask.ts";
import { CollectionApiError } from "../../../src/provider/collection-api/index.ts";
import { httpApp } from "../../../src/runtime/http-app.ts";
import { anyText } from "../../support/any-text.ts";
import { expectCheap } from "../../support/expect-cheap.ts";

const MIB = 1024 ** 2;
/** What Node takes of a request's line and headers. */
const HEAD_LIMIT = 16 * 1024;
/** In times what a plain MiB costs: 50 ms on a machine where that takes 14 (G12). */
const MOST = 3;
/** For whoever has shown no token: nothing but looking for one. */
const STRANGER = 0.3;

const request = { method: "POST", query: "", reference: null, contentType: null };
const read = (body: Buffer, changes = {}) => readCallback({ ...request, body, ...changes });
const maskKnown = maskOf([new Secret("test-token-0123456789abcdef"), new Secret("aaaaaaaaaaaaaaaaaaaaaaaa")]);
const maskRequest = requestMask([]);

const app = httpApp([], createLogger({ level: "silent" }), ["loopback", "uniquelocal"]);
const socket = { remoteAddress: "127.0.0.1" };

/** Everything that reads what strangers or the provider wrote, given a MiB of it. */
const readers: Record<string, (text: string) => unknown> = {
  "the reader, a body": (text) => read(Buffer.from(text).subarray(0, BODY_LIMIT)),
  "the reader, a query and a reference": (text) => {
    const head = text.slice(0, HEAD_LIMIT);
    return read(Buffer.alloc(0), { query: head, reference: head, contentType: head });
  },
  "the mask of tokens": withoutCallbackTokens,
  "the mask of known tokens": maskKnown,
  "the mask of what is recorded": (text) => {
    const head = text.slice(0, HEAD_LIMIT);
    return maskRequest({ rest: head, query: head, reference: head, rawHeaders: [head, head] });
  },
  "the address behind trusted proxies": (text) => {
    const headers = { "x-forwarded-for": text.slice(0, HEAD_LIMIT) };
    return Object.assign(Object.create(app.request), { headers, socket }).ip;
  },
  "the mask of errors": quietText,
  "the mask of evidence": maskedEvidence,
  "an error's message": (text) => messageOf(new Error(text)),
  "the provider's error": (text) => {
    const details = { detail: text, providerMessage: text, problems: [text], evidence: text };
    return new CollectionApiError("Get Invoice", { kind: "invalid", ...details }, new Secret("key-01234567"));
  },
  "text made storable": storableText,
};

const tokens = new CallbackTokens([]);
/** What is done with a request's line before anybody has shown a token, and what is read of it afterwards. */
const addresses: Record<string, (line: string) => unknown> = {
  "the token is looked for": (line) => tokens.sourceOf(callbackAddress(`/callbacks/${line}`).token),
  "the token is looked for behind a right beginning": (line) =>
    tokens.sourceOf(callbackAddress(`/callbacks/wrong/${line}`).token),
  "the reference is read": (line) => referenceOf(callbackAddress(`/callbacks/right/${line}`)),
};

/** What patterns and parsers stumble over, to be repeated by the million. */
const PIECES = [
  ...["::1,", "10.0.0.1,"],
  ..."aA0@.:/?&=%+-_\\\"'{}[],; \n\t\0\u0001\u0085\u202e\ud800é",
  ...["[", "{}", '{"a":', '{"data":', '{"data":{"', '"name":"', '"metadata":{', '\\"', "\\\\", "\\u002f"],
  ...["a=&", "a.b=", "a[b]=", "%41", "%2f", "%25", "&#x2f;", "://", "a@a", "a.", "+1 ", "01 ", "(1)"],
  ...["/callbacks/", "%2fcallbacks%2f", "bearer ", "password:", "api_key= ", "aaaaaaaa-aaaa-"],
  ...['"collectionId":"01890a5d-ac96-774b-bcce-b302099a8057",', "01890a5d-ac96-774b-bcce-b302099a8057 "],
];
const piece = fc.oneof(fc.constantFrom(...PIECES), anyText({ minLength: 1, maxLength: 4 }));
const unit = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(""));
const anything = fc
  .record({ begin: fc.oneof(fc.constant(""), unit), repeated: unit, end: fc.oneof(fc.constant(""), unit) })
  .map(({ begin, repeated, end }) => begin + repeated.repeat(Math.ceil(MIB / repeated.length)) + end);

describe("a request's line", () => {
  it.each(Object.keys(addresses))("costs next to nothing, whatever it holds: %s (G12)", (name) => {
    const lines = [...PIECES, "%/", "%ff/", "/%", "%e2%82/"].map((one) =>
      one.repeat(HEAD_LIMIT / one.length).replaceAll(/[\s?#]/g, "%"),
    );
    for (const line of lines) expectCheap(() => addresses[name]?.(line), STRANGER);
  });
});

describe("a MiB of anything costs a few times what a plain one does (G12)", () => {
  it.each(Object.keys(readers))("%s", (name) => {
    fc.assert(
      fc.property(anything, (text) => {
        expectCheap(() => readers[name]?.(text), MOST);
      }),
      { numRuns: 160, endOnFailure: true, examples: PIECES.map((one) => [one.repeat(MIB / one.length)]) },
    );
  });
});
