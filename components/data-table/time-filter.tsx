"use client";

import { useState } from "react";
import { type MomentText, NO_MOMENT, readMoment, toMomentText } from "@/components/form/moment";
import { MomentInput } from "@/components/form/moment-input";
import { useInBrowser } from "@/components/format/time";

type TimeFilterProps = {
  label: string;
  value: number | null;
  onValue: (seconds: number | null) => void;
  /** Another time zone than the browser's. */
  zone?: MomentZone;
};

/** How moments are written and read in a time zone. */
export type MomentZone = {
  toText: (seconds: number) => MomentText;
  /** Like readMoment. */
  read: (text: MomentText) => number | null | undefined;
};

/** A time filter; the URL holds unix seconds. Applies on Enter or when it is left. */
export function TimeFilter({ label, value, onValue, zone }: TimeFilterProps) {
  const inBrowser = useInBrowser();
  const [draft, setDraft] = useState({ of: value, text: NO_MOMENT, isTouched: false });
  if (draft.of !== value) setDraft({ of: value, text: NO_MOMENT, isTouched: false });
  const isTyped = draft.isTouched && draft.of === value;
  // The server does not know the browser's time zone, but it knows a given one.
  const shown = zone ? value && zone.toText(value) : inBrowser && toMomentText(value);
  const text = isTyped ? draft.text : shown || NO_MOMENT;
  const typed = (zone?.read ?? readMoment)(text);
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
