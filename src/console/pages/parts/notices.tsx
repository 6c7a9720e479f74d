import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { visibleText } from "../kit/text.ts";
import { Button, Icon } from "./values.tsx";

interface Notice {
  id: number;
  says: string;
  bad: boolean;
  /** Said to screen readers, shown to nobody: what is seen elsewhere. */
  quietly: boolean;
}

const notices = signal<readonly Notice[]>([]);
let last = 0;
const SHOWN_MS = 6_000;

/** Says in a corner, and to screen readers, what came of something. */
export function notify(says: string, { bad = false, quietly = false } = {}): void {
  last += 1;
  const notice = { id: last, says, bad, quietly };
  notices.value = [...notices.value, notice].slice(-4);
  setTimeout(() => close(notice), bad ? SHOWN_MS * 2 : SHOWN_MS);
}

function close({ id }: Notice): void {
  notices.value = notices.value.filter((one) => one.id !== id);
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((notice) => (
        <p key={notice.id} class={notice.quietly ? "unseen" : notice.bad ? "notice is-bad" : "notice"}>
          <Icon name={notice.bad ? "warning" : "check"} />
          <span class="grow">{notice.says}</span>
          <Button icon="close" label="Close" onClick={() => close(notice)} />
        </p>
      ))}
    </div>
  );
}

const SAID_MS = 1_600;

interface CopyProps {
  text: string;
  /** What it is, for who cannot see where the button stands: "the invoice's id". */
  what: string;
}

/** Copies a text, exactly. */
export function Copy({ text, what }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        notify(`Copied ${what}.`, { quietly: true });
      },
      () => notify("The browser does not let the page copy. Select the text instead.", { bad: true }),
    );
  return (
    <Button is="copy" icon={isCopied ? "check" : "copy"} label={`Copy ${what}`} onClick={() => void copy()} />
  );
}

/** An id, to be read and copied. @param of what it is the id of: "invoice". */
export const Id = ({ id, of }: { id: string; of: string }) => (
  <span class="id">
    <code>{visibleText(id)}</code>
    <Copy text={id} what={`the ${of}'s id`} />
  </span>
);
