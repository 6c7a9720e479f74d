import { connection } from "../api/live.ts";

const WORDS = {
  connecting: ["Connecting", "The live connection is being made."],
  live: ["Live", "What happens is shown as it happens."],
  lost: [
    "Not live",
    "The connection to the relay is lost; it is tried again by itself. What you see may be old.",
  ],
} as const;

/** Whether what one sees is of now. */
export function Connection() {
  const [word, says] = WORDS[connection.value];
  return (
    <span class={`connection is-${connection.value}`} role="status" title={says}>
      {word}
    </span>
  );
}
