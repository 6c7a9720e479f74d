import { useEffect, useState } from "preact/hooks";
import { visibleText } from "../kit/visible-text.ts";
import { Icon } from "./icon.tsx";
import { tell } from "./notices.tsx";

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
        tell(`Copied ${what}.`, { quietly: true });
      },
      () => tell("The browser does not let the page copy. Select the text instead.", { bad: true }),
    );
  return (
    <button
      type="button"
      class="icon-button copy"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? "check" : "copy"} />
    </button>
  );
}

interface IdProps {
  id: string;
  /** What it is the id of: "invoice". */
  of: string;
  /** Its beginning alone, where the whole one is a click away. */
  short?: boolean;
}

/** An id, to be read and copied. */
export function Id({ id, of, short = false }: IdProps) {
  const shown = visibleText(id);
  return (
    <span class="id">
      <code title={shown}>{short ? `${shown.slice(0, 8)}…` : shown}</code>
      {!short && <Copy text={id} what={`the ${of}'s id`} />}
    </span>
  );
}
