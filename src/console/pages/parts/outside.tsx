import { visiblePieces } from "../kit/visible-text.ts";

interface OutsideProps {
  /** Text that somebody else wrote: a payer, a provider, a stranger. */
  text: string;
  /** Line feeds and tabs are layout; else they are shown as escapes, too. */
  lines?: boolean;
}

/** Such text with nothing hidden in it: what would not be seen stands as its escape, and nothing turns its surroundings. */
export function Outside({ text, lines = false }: OutsideProps) {
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
