import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { type ApiProblem, isPassing, toDo } from "../api/client.ts";
import { Link } from "../kit/router.tsx";
import { countText, visibleText } from "../kit/text.ts";
import { Button, Outside } from "./values.tsx";

interface PageHeadProps {
  title: string;
  above?: { to: string; name: string };
  /** A sentence, in which others may have written, or a few facts under the title. */
  says?: ComponentChildren;
  children?: ComponentChildren;
}

/** The one heading of a page, which is the window's title, too. */
export function PageHead({ title, above, says, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · invoice-relay`;
  }, [title]);
  return (
    <header class="spread page-head">
      <div>
        {above !== undefined && (
          <Link to={above.to} class="above">
            Back to {above.name}
          </Link>
        )}
        <h1 tabIndex={-1}>{title}</h1>
        {says !== undefined && (
          <div class="page-says quiet">{typeof says === "string" ? <Outside text={says} /> : says}</div>
        )}
      </div>
      {children !== undefined && <div class="row">{children}</div>}
    </header>
  );
}

interface SectionProps {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of a page under a heading of its own. */
export function Section({ title, aside, children }: SectionProps) {
  const id = useId();
  return (
    <section class="section" aria-labelledby={id}>
      <div class="spread section-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

interface TabsProps {
  label: string;
  tabs: readonly { to: string; title: string; count?: number | null }[];
  current: string;
}

/** The ways to the parts of a page, each at an address of its own. */
export const Tabs = ({ label, tabs, current }: TabsProps) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ to, title, count }) => (
      <Link key={to} to={to} class="tab" aria-current={to === current ? "page" : undefined}>
        {title} {!!count && <span class="badge is-bad">{countText(count)}</span>}
      </Link>
    ))}
  </nav>
);

/** Where nothing is: why, and what would bring something here. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <b>{title}</b>
      {children}
    </div>
  );
}

/** Shows a fault and its remedy. */
export function Problem({ problem, retry }: { problem: ApiProblem; retry?: (() => void) | undefined }) {
  return (
    <div class="problem is-bad" role="alert">
      <div class="grow">
        <b>{visibleText(problem.message)}</b>
        <p>{toDo(problem)}</p>
      </div>
      {retry !== undefined && isPassing(problem) && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Reading {what}…
    </p>
  );
}

interface DialogProps {
  title: string;
  onClose: () => void;
  onSubmit: (event: Event) => void;
  /** The button that sends it. */
  action: ComponentChildren;
  children: ComponentChildren;
}

/** Over the page, which waits behind it. */
export function Dialog({ title, onClose, onSubmit, action, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog sheet" aria-labelledby={id} onClose={onClose}>
      <form class="stack" style={{ "--gap": "var(--s4)" }} onSubmit={onSubmit}>
        <h2 id={id}>{title}</h2>
        {children}
        <div class="row">
          <Button onClick={() => dialog.current?.close()}>Cancel</Button>
          {action}
        </div>
      </form>
    </dialog>
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

const notice = signal<{ says: string; bad: boolean } | null>(null);
let closing: ReturnType<typeof setTimeout> | undefined;
const SHOWN_MS = 8_000;

/** Says in a corner, and to screen readers, what came of something. */
export function notify(says: string, { bad = false } = {}): void {
  clearTimeout(closing);
  notice.value = { says, bad };
  closing = setTimeout(() => {
    notice.value = null;
  }, SHOWN_MS);
}

export const NoticeShown = () => (
  <div class="notices" role="status" aria-live="polite">
    {notice.value !== null && (
      <p class={notice.value.bad ? "notice is-bad" : "notice"}>{notice.value.says}</p>
    )}
  </div>
);

/** @param what it is, for who cannot see where the button stands: "the invoice's id". */
export function Copy({ text, what }: { text: string; what: string }) {
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => notify(`Copied ${what}.`),
      () => notify("The browser does not let the page copy. Select the text instead.", { bad: true }),
    );
  return (
    <Button is="is-quiet" label={`Copy ${what}`} onClick={() => void copy()}>
      Copy
    </Button>
  );
}

/** An id, to be read and copied. @param of what it is the id of: "invoice". */
export const Id = ({ id, of }: { id: string; of: string }) => (
  <span class="id">
    <code>{visibleText(id)}</code>
    <Copy text={id} what={`the ${of}'s id`} />
  </span>
);
