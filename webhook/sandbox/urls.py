from django.urls import path

from webhook.sandbox import views

urlpatterns = [
    path("", views.phones),
    path("<str:openid>/", views.page),
    path("<str:openid>/chat", views.chat),
    path("<str:openid>/<str:action>", views.act),
]
