"use client";

import { CalendarClock } from "lucide-react";
import { useTranslations } from "next-intl";
import { useRef } from "react";
import { Field } from "@/components/form/field";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { expiryFromNow, QUICK_EXPIRY, readExpiry } from "./expiry";

type ExpiryFieldProps = { value: string; error: string | undefined; onValue: (text: string) => void };

/** A key without a typed time of day works on the whole day that was picked. */
const END_OF_DAY = "23:59:59";

/** An expiry time: typed, its day picked from the browser's calendar, or set by a quick button. */
export function ExpiryField({ value, error, onValue }: ExpiryFieldProps) {
  const t = useTranslations("token");
  const [day = "", timeOfDay = ""] = value.trim().split(" ");
  const picker = useRef<HTMLInputElement>(null);
  const quick = [
    { label: t("quickNever"), seconds: QUICK_EXPIRY.never },
    { label: t("quickMonth"), seconds: QUICK_EXPIRY.month },
    { label: t("quickDay"), seconds: QUICK_EXPIRY.day },
    { label: t("quickHour"), seconds: QUICK_EXPIRY.hour },
    { label: t("quickMinute"), seconds: QUICK_EXPIRY.minute },
  ];
  return (
    <div className="flex flex-col gap-2">
      <Field label={t("expiry")} hint={readExpiry(value) === -1 ? t("quickNever") : undefined} error={error}>
        {(control) => (
          <span className="relative flex">
            <Input
              {...control}
              value={value}
              placeholder="yyyy-MM-dd HH:mm:ss"
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => onValue(event.target.value)}
              className="pr-10 tabular-nums"
            />
            <input
              ref={picker}
              type="date"
              tabIndex={-1}
              aria-hidden
              value={day}
              onChange={(event) => onValue(event.target.value && `${event.target.value} ${timeOfDay || END_OF_DAY}`)}
              className="pointer-events-none absolute right-2 bottom-0 h-0 w-0 opacity-0"
            />
            <Button
              variant="ghost"
              size="icon"
              aria-label={t("expiryPick")}
              onClick={() => picker.current?.showPicker()}
              className="absolute top-0.5 right-0.5 text-muted-foreground"
            >
              <CalendarClock />
            </Button>
          </span>
        )}
      </Field>
      <fieldset aria-label={t("expiryQuick")} className="flex flex-wrap gap-1.5">
        {quick.map(({ label, seconds }) => (
          <Button
            key={label}
            onClick={() => onValue(expiryFromNow(seconds, Date.now()))}
            className="h-7 px-2 font-normal text-xs"
          >
            {label}
          </Button>
        ))}
      </fieldset>
    </div>
  );
}
