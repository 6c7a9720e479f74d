import { visiblePieces } from "../kit/visible-text.ts";
import { None } from "./money.tsx";

interface OutsideProps {
  /** Text that somebody else wrote: a payer, a provider, a stranger; a dash where there is none. */
  text: string | null;
  /** Line feeds and tabs are layout; else they are shown as escapes, too. */
  lines?: boolean;
}

/** Such text with nothing hidden in it: what would not be seen stands as its escape, and nothing turns its surroundings. */
export function Outside({ text, lines = false }: OutsideProps) {
  if (text === null) return <None />;
  return (
    <bdi class="outside">
      {visiblePieces(text, { lines }).map((piece) =>
        "text" in piece ? (
          piece.text
        ) : (
          <span class="escape" title={piece.name}>
            {piece.escape}
          </span>
        ),
      )}
    </bdi>
  );
}
