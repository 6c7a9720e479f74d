import { expect } from "vitest";
import type { SpecifiedEnvironment } from "./environment.ts";

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

export const uuid = (value: unknown) => expect(value).toMatch(UUID);
export const text = (value: unknown) => expect(value).toEqual(expect.any(String));
export const number = (value: unknown) => expect(value).toEqual(expect.any(Number));
export const isoUtc = (value: unknown) => expect(value).toMatch(ISO_UTC);
export const list = (value: unknown) => expect(Array.isArray(value)).toBe(true);
export const flag = (value: unknown) => expect(value).toEqual(expect.any(Boolean));
export const none = (value: unknown) => expect(value).toBeNull();
export const is = (expected: unknown) => (value: unknown) => expect(value).toEqual(expected);
export const among =
  (...words: string[]) =>
  (value: unknown) =>
    expect(words).toContain(value);
export const url = (value: unknown) => expect(URL.canParse(String(value))).toBe(true);
export const mapOfText = (value: unknown) => {
  expect(value).toEqual(expect.any(Object));
  for (const one of Object.values(value as object)) text(one);
};

/** What stands at `a.b[0].c`; fails where nothing does. */
export function at(value: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce((so: unknown, part) => {
      expect(so, `${part} in ${path}`).toHaveProperty(part);
      return (so as Record<string, unknown>)[part];
    }, value);
}

export type Check = (environment: SpecifiedEnvironment) => unknown;
export type Checks = readonly (readonly [sentence: string, check: Check])[];

/** Each under its sentence. */
export const checks = (bySentence: Record<string, Check>): Checks => Object.entries(bySentence);

/** A check for each field of an answer. */
export const fields = (
  what: string,
  of: (environment: SpecifiedEnvironment) => unknown,
  rules: readonly (readonly [field: string, words: string, rule: (value: unknown) => void])[],
): Checks =>
  rules.map(([field, words, rule]) => [
    `${what}: ${field} ${words}`,
    (environment) => rule(at(of(environment), field)),
  ]);
