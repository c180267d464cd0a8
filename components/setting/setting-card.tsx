"use client";

import { Link2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useCopy } from "@/components/form/copy-button";
import { Button } from "@/components/ui/button";
import { type OptionCard, settingPath } from "@/lib/option/cards";
import type { OptionView } from "@/lib/option/types";
import { CardExtra } from "./card-extra";
import { CardFields } from "./card-fields";
import type { PageDraft } from "./use-page-draft";

type SettingCardProps = { card: OptionCard; options: readonly OptionView[]; draft: PageDraft };

/** A card of settings. The element's id is the card's name, for links to it. */
export function SettingCard({ card, options, draft }: SettingCardProps) {
  const t = useTranslations("setting.card");
  return (
    <section
      id={card}
      aria-labelledby={`${card}-title`}
      className="flex min-w-0 scroll-mt-20 flex-col rounded-lg border bg-surface"
    >
      <header className="flex items-start justify-between gap-3 px-5 pt-4">
        <div className="min-w-0">
          <h2 dir="auto" id={`${card}-title`} className="font-semibold">
            {t(`${card}.title`)}
          </h2>
          <p className="mt-0.5 text-muted-foreground text-pretty text-xs">{t(`${card}.text`)}</p>
        </div>
        <CardLink card={card} />
      </header>
      <div className="flex-1 px-5 pt-4 pb-5">
        <CardFields card={card} options={options} draft={draft} />
      </div>
      <CardExtra card={card} />
    </section>
  );
}

function CardLink({ card }: { card: OptionCard }) {
  const t = useTranslations("setting");
  const copy = useCopy();
  const onCopy = () => copy(`${window.location.origin}${settingPath(card, card)}`);
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
