"use client";

import { FileSpreadsheet, FileText } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { NativeSelect } from "@/components/ui/native-select";

type MonthStatementsProps = {
  /** yyyy-MM, the last first. */
  months: readonly string[];
  /** Another user's, for administrators. */
  userId?: number;
};

/** Chooses a month and downloads its statement. */
export function MonthStatements({ months, userId }: MonthStatementsProps) {
  const t = useTranslations("statement");
  const [chosen, setChosen] = useState(months[0] ?? "");
  if (months.length === 0) return <p className="text-muted-foreground text-xs">{t("noMonths")}</p>;
  const hrefOf = (format: string) => {
    const query = { month: chosen, format, ...(userId === undefined ? {} : { user: String(userId) }) };
    return `/topup/statement?${new URLSearchParams(query)}`;
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <NativeSelect
        aria-label={t("month")}
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
        className="w-auto min-w-36 flex-1 sm:max-w-60"
      >
        {months.map((month, place) => (
          <option key={month} value={month}>
            {place === 0 ? t("runningMonth", { month }) : month}
          </option>
        ))}
      </NativeSelect>
      <Button asChild size="md">
        <a href={hrefOf("pdf")} download>
          <FileText aria-hidden />
          {t("pdf")}
        </a>
      </Button>
      <Button asChild size="md">
        <a href={hrefOf("csv")} download>
          <FileSpreadsheet aria-hidden />
          {t("csv")}
        </a>
      </Button>
    </div>
  );
}
