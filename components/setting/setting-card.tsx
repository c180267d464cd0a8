"use client";

import { Link2 } from "lucide-react";
import { useTranslations } from "next-intl";
import type { FormEvent } from "react";
import { useCopy } from "@/components/form/copy-button";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { type OptionCard, tabOf } from "@/lib/option/cards";
import type { OptionView } from "@/lib/option/types";
import { CardExtra, cardIsWide } from "./card-extra";
import { CardFields } from "./card-fields";
import { type CardDraft, useCardDraft } from "./use-card-draft";

type SettingCardProps = { card: OptionCard; options: readonly OptionView[] };

/** A card of settings with its own draft, save and discard. The element's id is the card's name, for links to it. */
export function SettingCard({ card, options }: SettingCardProps) {
  const t = useTranslations("setting.card");
  const draft = useCardDraft(card, options);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    draft.save();
  };
  return (
    <section
      id={card}
      aria-labelledby={`${card}-title`}
      className={cn(
        "flex min-w-0 scroll-mt-32 flex-col rounded-lg border bg-surface lg:scroll-mt-20",
        cardIsWide(card) && "xl:col-span-2",
      )}
    >
      <form noValidate onSubmit={onSubmit} className="flex flex-1 flex-col">
        <header className="flex items-start justify-between gap-3 px-5 pt-4">
          <div className="min-w-0">
            <h2 id={`${card}-title`} className="font-semibold">
              {t(`${card}.title`)}
            </h2>
            <p className="mt-0.5 text-muted-foreground text-pretty text-xs">{t(`${card}.text`)}</p>
          </div>
          <CardLink card={card} />
        </header>
        <div className="flex-1 px-5 pt-4 pb-5">
          <CardFields card={card} options={options} draft={draft} />
        </div>
        <CardFooter draft={draft} />
      </form>
      <CardExtra card={card} />
    </section>
  );
}

function CardLink({ card }: { card: OptionCard }) {
  const t = useTranslations("setting");
  const copy = useCopy();
  const onCopy = () => copy(`${window.location.origin}/setting?tab=${tabOf(card)}#${card}`);
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label={t("copyLinkOf", { name: t(`card.${card}.title`) })}
      onClick={onCopy}
      className="-mr-2 text-muted-foreground"
    >
      <Link2 />
    </Button>
  );
}

/** Sticks to the bottom while the card has unsaved changes. */
function CardFooter({ draft }: { draft: CardDraft }) {
  const t = useTranslations("setting");
  const { changes, pending } = draft;
  const isDirty = changes > 0;
  return (
    <footer
      className={cn(
        "flex flex-wrap items-center justify-end gap-2 rounded-b-lg border-t px-5 py-2.5",
        isDirty && "sticky bottom-0 z-10 border-primary/40 bg-accent",
      )}
    >
      {isDirty ? (
        <>
          <span className="mr-auto font-medium text-accent-foreground text-xs" aria-live="polite">
            {t("unsaved", { count: changes })}
          </span>
          <Button variant="ghost" disabled={pending} onClick={() => draft.dispatch({ type: "discard" })}>
            {t("discard")}
          </Button>
        </>
      ) : null}
      <Button type="submit" variant={isDirty ? "primary" : "outline"} pending={pending}>
        {t("save")}
      </Button>
    </footer>
  );
}
