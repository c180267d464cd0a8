"use client";

import { Download } from "lucide-react";
import { useTranslations } from "next-intl";
import { Menu } from "@/components/overlay/menu";
import { Button } from "@/components/ui/button";
import { DropdownMenuItem } from "@/components/ui/dropdown-menu";

type ExportMenuProps = {
  /** The export URL, such as "/log/export". */
  path: string;
  /** The list's filters as a query string. */
  query: string;
  size?: "sm" | "md";
};

export function ExportMenu({ path, query, size = "md" }: ExportMenuProps) {
  const t = useTranslations("common");
  const hrefOf = (format: string) =>
    `${path}?${new URLSearchParams([["format", format], ...new URLSearchParams(query)])}`;
  const trigger = (
    <Button size={size}>
      <Download aria-hidden />
      {t("export")}
    </Button>
  );
  return (
    <Menu trigger={trigger} label={t("export")}>
      <DropdownMenuItem asChild>
        <a href={hrefOf("csv")} download>
          {t("exportCsv")}
        </a>
      </DropdownMenuItem>
      <DropdownMenuItem asChild>
        <a href={hrefOf("jsonl")} download>
          {t("exportJsonl")}
        </a>
      </DropdownMenuItem>
    </Menu>
  );
}
