"use client";

import { History, RotateCcw } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Hint } from "@/components/overlay/hint";
import { Button } from "@/components/ui/button";
import type { OptionView } from "@/lib/option/types";
import { type CardState, textOf } from "./card-draft";
import { HistoryDialog } from "./history-dialog";
import { useOptionText } from "./option-text";
import { shownText } from "./shown-text";

type FieldToolsProps = { view: OptionView; state: CardState; onDefault: () => void };

const toolClasses = "size-6 text-muted-foreground [&_svg]:size-3.5";

/** Beside an option's label: reset to the default where the value differs, and the history. */
export function FieldTools({ view, state, onDefault }: FieldToolsProps) {
  const t = useTranslations("setting");
  const { label } = useOptionText();
  const [history, setHistory] = useState(false);
  const name = label(view.key);
  const differs = !view.secret && textOf(state, view) !== shownText(view, view.default);
  return (
    <span className="flex shrink-0 items-center gap-0.5">
      {differs ? (
        <Hint label={t("toDefault")}>
          <Button
            variant="ghost"
            size="icon"
            className={toolClasses}
            aria-label={t("toDefaultOf", { name })}
            onClick={onDefault}
          >
            <RotateCcw />
          </Button>
        </Hint>
      ) : null}
      <Hint label={t("history")}>
        <Button
          variant="ghost"
          size="icon"
          className={toolClasses}
          aria-label={t("historyOf", { name })}
          onClick={() => setHistory(true)}
        >
          <History />
        </Button>
      </Hint>
      {history ? <HistoryDialog view={view} onClose={() => setHistory(false)} /> : null}
    </span>
  );
}
