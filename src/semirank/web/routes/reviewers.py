"""Several reviewers: invitations, agreement, conflicts, settings."""

from fastapi import APIRouter, Request

from semirank.feedback import agreement
from semirank.web import shapes
from semirank.web.people import Invitation, Person
from semirank.web.routes.asking import TheOwner, ThePerson, TheSession, TheView, refuse
from semirank.web.session import Session
from semirank.web.showing import show_items

router = APIRouter(prefix="/api/p/{key}")


def _see_others(session: Session, person: Person) -> None:
    """Refuse a reviewer who must not know of the others' verdicts; the owner may look."""
    if person.role != "owner" and session.is_blind(person):
        raise refuse(403, "The reading is blind: what others say is shown when you have read everything.")


@router.get("/agreement")
def get_agreement(session: TheSession, person: ThePerson) -> shapes.AgreementInfo:
    """Say how far reviewers agree on what several have read."""
    _see_others(session, person)
    with session.shared.ranking:
        state = session.shared.fold()
        found = agreement(state)
        names = sorted({event.reviewer for event in state.events if event.kind in ("label", "unsure")})
        least = float(session.scale["relevant"])
        reviewers = [
            shapes.ReviewerInfo(
                name=name,
                n_read=int(state.read_by(name).sum()),
                n_found=int((state.labels_of(name) >= least).sum()),
            )
            for name in names
        ]
    return shapes.AgreementInfo(
        reviewers=reviewers,
        pairs=[
            shapes.PairInfo(
                a=pair.reviewers[0],
                b=pair.reviewers[1],
                n=pair.n_items,
                percent=pair.percent,
                kappa=_number(pair.kappa.value),
                kappa_low=_number(pair.kappa.low),
                kappa_high=_number(pair.kappa.high),
                labels=list(pair.labels),
                table=[list(row) for row in pair.table],
            )
            for pair in found.pairs
        ],
        alpha=_number(found.alpha.value),
        alpha_low=_number(found.alpha.low),
        alpha_high=_number(found.alpha.high),
        n_conflicts=len(found.conflicts),
    )


def _number(value: float) -> float | None:
    return None if value != value else value


@router.get("/conflicts")
def conflicts(session: TheSession, view: TheView, person: ThePerson) -> shapes.Items:
    """List the items on which reviewers disagree and nobody has decided."""
    _see_others(session, person)
    with session.lock:
        rows = session.conflicts()
    items = show_items(session, session.shared, person, rows)
    return shapes.Items(total=len(items), items=items)


@router.get("/invitations")
def invitations(session: TheSession, person: TheOwner) -> list[shapes.InvitationInfo]:
    """List who was invited; links are not kept."""
    return [shapes.InvitationInfo(id=e.id, name=e.name, role=e.role) for e in session.invitations()]


@router.post("/invitations")
def invite(
    new: shapes.NewInvitation, request: Request, session: TheSession, person: TheOwner
) -> shapes.InvitationInfo:
    """Invite somebody; the link is shown once."""
    if not session.users:
        raise refuse(409, "There is one reviewer only.", "users", "Start with `semirank serve --users`.")
    taken = {each.name.casefold() for each in session.invitations()} | {person.name}
    if new.name.casefold() in taken:
        raise refuse(409, f"{new.name!r} is invited already.", "name", "Choose another name.")
    invitation, secret = Invitation.new(new.name, new.role)
    session.invite([*session.invitations(), invitation])
    link = f"{request.url.scheme}://{request.headers['host']}/?token={secret}"
    return shapes.InvitationInfo(id=invitation.id, name=new.name, role=new.role, link=link)


@router.delete("/invitations/{name}")
def revoke(name: str, session: TheSession, person: TheOwner) -> list[shapes.InvitationInfo]:
    """Revoke an invitation; its link and its cookie are worth nothing from now on."""
    left = [each for each in session.invitations() if each.id != name]
    if len(left) == len(session.invitations()):
        raise refuse(404, "There is no such invitation.", "invitation")
    session.invite(left)
    return invitations(session, person)


@router.get("/settings")
def get_settings(session: TheSession) -> shapes.Settings:
    """Return what the owner has set."""
    known = shapes.Settings.model_fields
    return shapes.Settings(**{name: value for name, value in session.settings.items() if name in known})


@router.put("/settings")
def put_settings(new: shapes.Settings, session: TheSession, person: TheOwner) -> shapes.Settings:
    """Change settings."""
    session.change(new.model_dump())
    return get_settings(session)
