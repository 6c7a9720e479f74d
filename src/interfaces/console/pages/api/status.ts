import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { now } from "../kit/time.ts";
import type { ApiProblem, Status } from "./client.ts";
import { useAnswer } from "./use-answer.ts";

/** How old the newest status may be, in ms, and still be taken for now: it is asked for every 10 s. */
const BELIEVED_MS = 30_000;

const newest = signal<{ status: Status; at: number } | null>(null);
/** Why the status could not be read just now. */
export const statusProblem = signal<ApiProblem | null>(null);

export const newestStatus = computed(() => newest.value?.status ?? null);

/** Why the newest status may no longer be true; null while it is of now. */
export const doubt = computed(() =>
  newest.value === null ? null : doubtOf(statusProblem.value, now.value - newest.value.at),
);

/** Pure. @param ageMs how long ago the status came */
export function doubtOf(problem: Pick<ApiProblem, "message"> | null, ageMs: number): string | null {
  if (problem !== null) return problem.message;
  return ageMs > BELIEVED_MS ? "The relay has not answered since then." : null;
}

/** Keeps the status up to date during a session. */
export function useStatus(): void {
  const { data, problem } = useAnswer("/status", {});
  useEffect(() => {
    if (data !== null) newest.value = { status: data, at: Date.now() };
  }, [data]);
  useEffect(() => {
    statusProblem.value = problem;
  }, [problem]);
  useEffect(() => {
    const ticking = setInterval(() => {
      now.value = Date.now();
    }, 1_000);
    return () => {
      clearInterval(ticking);
      newest.value = null;
    };
  }, []);
}
