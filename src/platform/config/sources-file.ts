import { readFileSync } from "node:fs";
import { z } from "zod";
import { codeOf } from "../errors/index.ts";
import { pathOf } from "../validation/index.ts";
import { jsonIn, type Secret } from "../values/index.ts";
import { callbackChecksSchema } from "./callback-checks.ts";

import {
  anyUuid,
  baseUrl,
  booksTimeZone,
  currency,
  secret,
  sourceName,
  topicArn,
  untidiness,
  urlToken,
} from "./setting-formats.ts";

type Environment = Record<string, string | undefined>;

/** Either the sources, or what is wrong with the file, a line each with the path inside it; never a value. */
interface SourcesFile {
  sources: readonly Source[];
  problems: readonly string[];
}

/** Reads SOURCES_FILE: `{"sources": [{"name": …}]}`. A secret stands there, or `env:NAME` names its variable. */
export function readSourcesFile(file: string, environment: Environment): SourcesFile {
  const failed = (...problems: string[]): SourcesFile => ({
    sources: [],
    problems: problems.map((problem) => `SOURCES_FILE: ${problem}`),
  });
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return failed(`${file} cannot be read (${codeOf(error) || "unreadable"})`);
  }
  const json = jsonIn(text.replace(/^\uFEFF/, ""));
  if (json === undefined) return failed(`${file} is not JSON`);
  const result = sourcesSchema(environment).safeParse(json);
  if (!result.success)
    return failed(
      ...result.error.issues.map((issue) => `${pathOf(issue.path) || "the whole"} ${messageOfIssue(issue)}`),
    );
  const twice = doubles(result.data.sources);
  return twice.length > 0 ? failed(...twice) : { sources: result.data.sources, problems: [] };
}

function sourcesSchema(environment: Environment) {
  const kept = (format: z.ZodType<Secret, string>) =>
    z
      .string()
      .transform((text, context) => {
        const [, name] = /^env:(.+)$/.exec(text) ?? [];
        const value = name === undefined ? text : environment[name];
        const from = name !== undefined && /^\w+$/.test(name) ? name : "a variable";
        if (value === undefined || value === "") context.addIssue(`refers to ${from}, which is not set`);
        const problem = untidiness(value ?? "");
        if (problem !== null)
          context.addIssue(name === undefined ? problem : `refers to ${from}, which ${problem}`);
        return value ?? z.NEVER;
      })
      .pipe(format);
  return z.strictObject({
    sources: z.array(sourceSchema(kept, environment)).min(1, "should describe at least one source"),
  });
}

function doubles(sources: readonly Source[]): string[] {
  const problems: string[] = [];
  const names = new Set<string>();
  const tokens = new Map<string, number>();
  for (const [index, source] of sources.entries()) {
    if (names.has(source.name)) problems.push(`sources[${index}].name is another source's name`);
    names.add(source.name);
    for (const [place, token] of source.callbackTokens.entries()) {
      const owner = tokens.get(token.reveal());
      if (owner !== undefined && owner !== index)
        problems.push(`sources[${index}].callbackTokens[${place}] is a token of sources[${owner}] as well`);
      tokens.set(token.reveal(), index);
    }
  }
  return problems;
}

/** Zod's own words where there are none of ours. They name types and keys, no values. */
const messageOfIssue = (issue: z.core.$ZodIssue): string =>
  issue.code === "invalid_type" || issue.code === "unrecognized_keys"
    ? `is wrong: ${issue.message}`
    : issue.message;

/**
 * One merchant account as SOURCES_FILE describes it: its key, the tokens of its callback URLs, the topics of
 * its events.
 * @param kept reads a secret, written out or named.
 * @param environment has what sources may leave out to have it in common; checked with the other settings.
 */
function sourceSchema(
  kept: (format: z.ZodType<Secret, string>) => z.ZodType<Secret, string>,
  { BOOKS_TIME_ZONE, CURRENCY }: Environment,
) {
  const several = (format: z.ZodType<Secret, string>): z.ZodType<readonly Secret[]> =>
    z.array(kept(format)).min(1, "should name at least one");
  const described = z.strictObject({
    name: sourceName,
    collectionApiUrl: baseUrl,
    collectionApiKey: kept(secret(1)),
    /** Only invoices of these collections are published; empty for no restriction. */
    collectionIds: z
      .preprocess((given) => (given === "none" ? [] : given), z.array(anyUuid).readonly())
      .optional(),
    callbackTokens: several(urlToken),
    callbackChecks: callbackChecksSchema(several).prefault({}),
    snsTopicArn: topicArn,
    /** null: events of Test invoices are held. */
    snsTestTopicArn: topicArn.nullable().default(null),
    /** The zone whose days the books have. */
    booksTimeZone: booksTimeZone.default(BOOKS_TIME_ZONE || "UTC"),
    /** Of all amounts, ISO 4217. */
    currency: currency.default(CURRENCY || "NGN"),
  });
  return described.transform(({ collectionIds, ...others }) => ({
    ...others,
    collectionIds: collectionIds ?? [],
    reconciliation: reconciliationOf(collectionIds),
  }));
}

/** `none`: COLLECTION_IDS says that nothing is reconciled; `unset`: nobody has said anything. */
type Reconciliation = "on" | "none" | "unset";

/** @param collectionIds undefined when left out. */
export const reconciliationOf = (collectionIds: readonly string[] | undefined): Reconciliation =>
  collectionIds === undefined ? "unset" : collectionIds.length === 0 ? "none" : "on";

export type Source = Readonly<z.output<ReturnType<typeof sourceSchema>>>;
