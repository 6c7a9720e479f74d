import { visiblePieces } from "../kit/visible-text.ts";
import { Outside } from "./outside.tsx";

/** Beneath a field: what stands in it, where something in that would not be seen; else nothing. */
export function Told({ text }: { text: string }) {
  if (visiblePieces(text, { lines: true }).every((piece) => "text" in piece)) return null;
  return (
    <small class="field-told">
      It says: <Outside text={text} lines />
    </small>
  );
}
