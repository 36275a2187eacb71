"""From one trace_id to all that follows from it. A batch carries its first message's; the others lead to it too."""

from uuid import UUID

from django.db.models import Q

from webhook.models import Batch, InboundMessage, OutboundMessage, VoiceClip

ENOUGH = 50


def batches(trace_id: UUID) -> list[int]:
    own = Batch.objects.filter(trace_id=trace_id).values_list("pk", flat=True)[:ENOUGH]
    joined = InboundMessage.objects.filter(trace_id=trace_id, batch__isnull=False).values_list("batch_id", flat=True)
    return sorted({*own, *(pk for pk in joined[:ENOUGH] if pk is not None)})


def of_trace(trace_id: UUID) -> Q:
    """Messages, in or out, that carry it or belong to its batch."""
    return Q(trace_id=trace_id) | Q(batch_id__in=batches(trace_id))


def objects(trace_id: UUID) -> Q:
    """What Review and Attempt say of it: they know their object by kind and number."""
    found = batches(trace_id)
    sends = OutboundMessage.objects.filter(Q(trace_id=trace_id) | Q(batch_id__in=found))
    numbers = list(sends.values_list("pk", flat=True)[:ENOUGH])
    heard = VoiceClip.objects.filter(Q(trace_id=trace_id) | Q(batch_id__in=found))
    clips = list(heard.values_list("pk", flat=True)[:ENOUGH])
    return (
        Q(kind="batch", object_id__in=found)
        | Q(kind="outbound", object_id__in=numbers)
        | Q(kind="voice", object_id__in=clips)
    )
