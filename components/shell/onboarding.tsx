"use client";

import { CircleCheck, CircleDashed, X } from "lucide-react";
import type { Route } from "next";
import { usePathname } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect, useId, useState } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { toast } from "@/components/ui/toast";
import type { OnboardingStep } from "@/lib/onboarding/queries";
import { onboardingSteps } from "./actions";
import { ONBOARDING_COOKIE } from "./cookies";

const CHECK_MS = 10_000;
const ONE_YEAR = 31_536_000;
const DONE_MS = 5_000;

const PATHS: Record<OnboardingStep["id"], Route> = {
  channel: "/channel?create=true" as Route,
  test: "/channel" as Route,
  token: "/token?create=true" as Route,
  request: "/playground" as Route,
  address: "/setting?tab=system" as Route,
};

type OnboardingProps = {
  initial: readonly OnboardingStep[];
  /** Paths on which the checklist is shown. */
  homes: readonly string[];
};

/** The onboarding checklist. It polls the progress and disappears when all steps are done. */
export function Onboarding({ initial, homes }: OnboardingProps) {
  const t = useTranslations("onboarding");
  const id = useId();
  const shown = homes.includes(usePathname());
  const [steps, setSteps] = useState(initial);
  const [closed, setClosed] = useState(false);
  const done = steps.filter((step) => step.done).length;
  const over = closed || done === steps.length;
  useEffect(() => {
    if (!shown || over) return;
    const look = async () => {
      if (document.visibilityState !== "visible") return;
      // A failed check is ignored; the next one may succeed.
      const result = await onboardingSteps({}).catch(() => null);
      if (!result?.ok) return;
      setSteps(result.data);
      if (result.data.every((step) => step.done)) toast.success(t("allDone"), { duration: DONE_MS });
    };
    const timer = setInterval(look, CHECK_MS);
    return () => clearInterval(timer);
  }, [shown, over, t]);
  if (!shown || over) return null;
  const onClose = () => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser
    document.cookie = `${ONBOARDING_COOKIE}=dismissed; path=/; max-age=${ONE_YEAR}; samesite=lax`;
    setClosed(true);
  };
  const next = steps.find((step) => !step.done);
  return (
    <section aria-labelledby={id} className="mb-5 rounded-lg border bg-surface px-4 py-3.5">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h2 dir="auto" id={id} className="font-semibold">
            {t("title")}
          </h2>
          <p className="text-muted-foreground">{t("lead", { done: String(done), all: String(steps.length) })}</p>
        </div>
        <Button variant="ghost" size="icon" aria-label={t("dismiss")} onClick={onClose}>
          <X />
        </Button>
      </div>
      <ol className={cn("mt-3 grid gap-2 sm:grid-cols-2", steps.length > 2 && "xl:grid-cols-5")}>
        {steps.map((step) => (
          <li key={step.id} data-step={step.id} data-done={step.done}>
            <Step step={step} isNext={step === next} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Step({ step, isNext }: { step: OnboardingStep; isNext: boolean }) {
  const t = useTranslations("onboarding");
  const Icon = step.done ? CircleCheck : CircleDashed;
  const content = (
    <>
      <Icon
        className={cn("mt-0.5 size-4.5 shrink-0", step.done ? "text-success" : "text-muted-foreground")}
        aria-hidden
      />
      <span className="min-w-0">
        <span className="block font-medium">
          {t(`${step.id}Title`)}
          <span className="sr-only">{step.done ? t("isDone") : t("isOpen")}</span>
        </span>
        <span className="block text-muted-foreground text-xs">{t(`${step.id}Text`)}</span>
      </span>
    </>
  );
  const classes = cn("flex h-full items-start gap-2.5 rounded-md border px-3 py-2.5", isNext && "border-primary");
  if (step.done) return <div className={cn(classes, "bg-muted/50")}>{content}</div>;
  return (
    <Link href={PATHS[step.id]} className={cn(classes, "hover:bg-muted")}>
      {content}
    </Link>
  );
}
