"use client";

import { useState } from "react";
import { readMoment, toMomentText } from "@/components/form/moment";
import { MomentInput } from "@/components/form/moment-input";
import { useInBrowser } from "@/components/format/time";

type TimeFilterProps = { label: string; value: number | null; onValue: (seconds: number | null) => void };

/** A time filter in the browser's time zone; the URL holds unix seconds. Applies on Enter or when it is left. */
export function TimeFilter({ label, value, onValue }: TimeFilterProps) {
  const inBrowser = useInBrowser();
  const [draft, setDraft] = useState({ of: value, text: toMomentText(null), isTouched: false });
  if (draft.of !== value) setDraft({ of: value, text: toMomentText(null), isTouched: false });
  const isTyped = draft.isTouched && draft.of === value;
  const text = isTyped ? draft.text : toMomentText(inBrowser ? value : null);
  const typed = readMoment(text);
  const apply = () => {
    if (isTyped && typed !== undefined && typed !== value) onValue(typed);
  };
  return (
    <MomentInput
      label={label}
      text={text}
      isInvalid={isTyped && typed === undefined}
      onText={(next) => setDraft({ of: value, text: next, isTouched: true })}
      onBlur={apply}
      onEnter={apply}
    />
  );
}
