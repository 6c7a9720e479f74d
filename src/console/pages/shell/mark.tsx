/** The product's name and sign. */
export function Mark() {
  return (
    <span class="mark">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <path class="mark-in" d="M7 10h10.5a5.5 5.5 0 0 1 0 11H14" />
        <path class="mark-out" d="M18 16.5 13.5 21l4.5 4.5" />
      </svg>
      invoice-relay
    </span>
  );
}
