"""A text is cut between what its reader sees as signs."""

from webhook.graphemes import graphemes


def test_a_sign_and_what_joins_it_are_one():
    assert graphemes("中ｶﾞ👍🏽!") == ["中", "ｶﾞ", "👍🏽", "!"]
