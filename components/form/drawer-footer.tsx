"use client";

import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";

type DrawerFooterProps = { form: string; pending: boolean; onCancel: () => void };

export function DrawerFooter({ form, pending, onCancel }: DrawerFooterProps) {
  const t = useTranslations("common");
  return (
    <>
      <Button size="md" onClick={onCancel} disabled={pending}>
        {t("cancel")}
      </Button>
      <Button size="md" variant="primary" type="submit" form={form} pending={pending}>
        {t("submit")}
      </Button>
    </>
  );
}
