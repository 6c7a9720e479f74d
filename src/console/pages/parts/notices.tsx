import { signal } from "@preact/signals";
import { Icon } from "./icon.tsx";

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
export function tell(says: string, { bad = false, quietly = false } = {}): void {
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
          <span>{notice.says}</span>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => close(notice)}>
            <Icon name="close" />
          </button>
        </p>
      ))}
    </div>
  );
}
