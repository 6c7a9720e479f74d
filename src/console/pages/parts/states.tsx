import type { ComponentChildren } from "preact";
import { type ApiProblem, toDo } from "../api/problem.ts";
import { visibleText } from "../kit/visible-text.ts";
import { Icon } from "./icon.tsx";

/** Where nothing is: why, and what would bring something here. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** What went wrong, and what to do. */
export function Problem({ problem, retry }: { problem: ApiProblem; retry?: (() => void) | undefined }) {
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p class="problem-title">{visibleText(problem.message)}</p>
        <p>{toDo(problem)}</p>
      </div>
      {retry !== undefined && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** While the first answer is under way. */
export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Reading {what}…
    </p>
  );
}

interface AnsweredProps<Data> {
  answer: { data: Data | null; problem: ApiProblem | null; reload: () => void };
  /** For "Reading …". */
  what: string;
  children: (data: Data) => ComponentChildren;
}

/** An answer of the admin API: what it says, what keeps it, or that it is under way. */
export function Answered<Data>({ answer, what, children }: AnsweredProps<Data>) {
  const { data, problem, reload } = answer;
  return (
    <>
      {problem !== null && <Problem problem={problem} retry={reload} />}
      {data !== null ? children(data) : problem === null && <Loading what={what} />}
    </>
  );
}
