"""What is wrong with a specification, found while it is compiled."""

from dataclasses import dataclass, field

from state.findings import Finding, Owner


@dataclass
class Problems:
    """Findings that keep a specification from being compiled, and remarks that do not."""

    findings: list[Finding] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def add(self, owner: Owner, place: str, message: str) -> None:
        """Note that the piece at ``place`` has to be changed by ``owner``."""
        finding = Finding(check="compile", owner=owner, place=place, message=message)
        if finding not in self.findings:
            self.findings.append(finding)

    def remark(self, place: str, message: str) -> None:
        """Note something that a reader should know but that stops nothing."""
        text = f"{place}: {message}"
        if text not in self.remarks:
            self.remarks.append(text)
