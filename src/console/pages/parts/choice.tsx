interface ChoiceProps {
  label: string;
  name?: string;
  value: string;
  /** What stands for none of them. */
  any?: string;
  choices: readonly (readonly [value: string, word: string])[];
  onChange: (value: string) => void;
}

/** A field with values to choose from, or none of them: "". */
export const Choice = ({ label, name, value, any = "any", choices, onChange }: ChoiceProps) => (
  <label class="field">
    <span>{label}</span>
    <select name={name} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{any}</option>
      {choices.map(([choice, word]) => (
        <option key={choice} value={choice}>
          {word}
        </option>
      ))}
    </select>
  </label>
);
