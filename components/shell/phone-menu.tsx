"use client";

import { Menu as MenuIcon } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Sheet } from "@/components/ui/dialog";
import { Navigation } from "./navigation";

export function PhoneMenu({ role, name }: { role: number; name: string }) {
  const t = useTranslations("shell");
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="ghost"
        size="iconMd"
        className="md:hidden"
        aria-label={t("openMenu")}
        onClick={() => setOpen(true)}
      >
        <MenuIcon />
      </Button>
      <Sheet open={open} onClose={() => setOpen(false)} title={name} side="left" className="max-w-72">
        <div className="-mx-4 -my-2">
          <Navigation role={role} onNavigate={() => setOpen(false)} />
        </div>
      </Sheet>
    </>
  );
}
